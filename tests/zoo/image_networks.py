"""Networks over images, laid out and named as the well-known implementations are."""
import torch
import torch.nn.functional as F
from torch import nn


class BasicBlock(nn.Module):
    def __init__(self, inside, outside, stride=1):
        super().__init__()
        self.conv1 = nn.Conv2d(inside, outside, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(outside)
        self.relu = nn.ReLU(inplace=True)
        self.conv2 = nn.Conv2d(outside, outside, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(outside)
        self.downsample = None
        if stride != 1 or inside != outside:
            self.downsample = nn.Sequential(nn.Conv2d(inside, outside, 1, stride, bias=False),
                                            nn.BatchNorm2d(outside))

    def forward(self, x):
        y = self.bn2(self.conv2(self.relu(self.bn1(self.conv1(x)))))
        return self.relu(y + (x if self.downsample is None else self.downsample(x)))


class ResNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 4, 3, 1, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(4)
        self.relu = nn.ReLU(inplace=True)
        self.maxpool = nn.MaxPool2d(3, 2, 1)
        self.layer1 = nn.Sequential(BasicBlock(4, 4), BasicBlock(4, 4))
        self.layer2 = nn.Sequential(BasicBlock(4, 8, 2), BasicBlock(8, 8))
        self.avgpool = nn.AdaptiveAvgPool2d((1, 1))
        self.fc = nn.Linear(8, 5)

    def forward(self, x):
        x = self.maxpool(self.relu(self.bn1(self.conv1(x))))
        x = self.layer2(self.layer1(x))
        return self.fc(torch.flatten(self.avgpool(x), 1))


class DenseLayer(nn.Module):
    def __init__(self, inside, growth):
        super().__init__()
        self.norm1 = nn.BatchNorm2d(inside)
        self.relu1 = nn.ReLU(inplace=True)
        self.conv1 = nn.Conv2d(inside, 2 * growth, 1, bias=False)
        self.norm2 = nn.BatchNorm2d(2 * growth)
        self.relu2 = nn.ReLU(inplace=True)
        self.conv2 = nn.Conv2d(2 * growth, growth, 3, 1, 1, bias=False)

    def forward(self, x):
        return torch.cat([x, self.conv2(self.relu2(self.norm2(self.conv1(self.relu1(self.norm1(x))))))], 1)


class DenseNet(nn.Module):
    def __init__(self):
        super().__init__()
        transition = nn.Sequential()
        transition.add_module("norm", nn.BatchNorm2d(12))
        transition.add_module("relu", nn.ReLU(inplace=True))
        transition.add_module("conv", nn.Conv2d(12, 6, 1, bias=False))
        transition.add_module("pool", nn.AvgPool2d(2, 2))
        self.features = nn.Sequential()
        self.features.add_module("conv0", nn.Conv2d(3, 4, 3, 1, 1, bias=False))
        self.features.add_module("denseblock1", nn.Sequential(DenseLayer(4, 4), DenseLayer(8, 4)))
        self.features.add_module("transition1", transition)
        self.features.add_module("denseblock2", nn.Sequential(DenseLayer(6, 4), DenseLayer(10, 4)))
        self.features.add_module("norm5", nn.BatchNorm2d(14))
        self.classifier = nn.Linear(14, 5)

    def forward(self, x):
        x = F.relu(self.features(x))
        return self.classifier(torch.flatten(F.adaptive_avg_pool2d(x, (1, 1)), 1))


class SqueezeExcitation(nn.Module):
    def __init__(self, channels, squeezed, activation, gate):
        super().__init__()
        self.avgpool = nn.AdaptiveAvgPool2d(1)
        self.fc1 = nn.Conv2d(channels, squeezed, 1)
        self.fc2 = nn.Conv2d(squeezed, channels, 1)
        self.activation = activation()
        self.scale_activation = gate()

    def forward(self, x):
        return x * self.scale_activation(self.fc2(self.activation(self.fc1(self.avgpool(x)))))


class InvertedResidual(nn.Module):
    def __init__(self, inside, expanded, outside, stride, activation, gate):
        super().__init__()
        self.joined = stride == 1 and inside == outside
        self.block = nn.Sequential(
            nn.Sequential(nn.Conv2d(inside, expanded, 1, bias=False), nn.BatchNorm2d(expanded, eps=1e-3), activation()),
            nn.Sequential(nn.Conv2d(expanded, expanded, 3, stride, 1, groups=expanded, bias=False),
                          nn.BatchNorm2d(expanded, eps=1e-3), activation()),
            SqueezeExcitation(expanded, 4, nn.ReLU if gate is nn.Hardsigmoid else nn.SiLU, gate),
            nn.Sequential(nn.Conv2d(expanded, outside, 1, bias=False), nn.BatchNorm2d(outside, eps=1e-3)))

    def forward(self, x):
        return x + self.block(x) if self.joined else self.block(x)


class MobileNet(nn.Module):
    def __init__(self, activation, gate):
        super().__init__()
        stem = nn.Sequential(nn.Conv2d(3, 4, 3, 2, 1, bias=False), nn.BatchNorm2d(4), activation())
        self.features = nn.Sequential(stem, InvertedResidual(4, 8, 4, 1, activation, gate),
                                      InvertedResidual(4, 8, 6, 2, activation, gate))
        self.avgpool = nn.AdaptiveAvgPool2d(1)
        self.classifier = nn.Sequential(nn.Linear(6, 8), activation(), nn.Dropout(0.2), nn.Linear(8, 5))

    def forward(self, x):
        return self.classifier(torch.flatten(self.avgpool(self.features(x)), 1))


class LayerNorm2d(nn.LayerNorm):
    def forward(self, x):
        return super().forward(x.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)


class Permute(nn.Module):
    def __init__(self, *order):
        super().__init__()
        self.order = order

    def forward(self, x):
        return torch.permute(x, self.order)


class ConvNeXtBlock(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.block = nn.Sequential(
            nn.Conv2d(channels, channels, 7, padding=3, groups=channels), Permute(0, 2, 3, 1),
            nn.LayerNorm(channels, eps=1e-6), nn.Linear(channels, 4 * channels), nn.GELU(),
            nn.Linear(4 * channels, channels), Permute(0, 3, 1, 2))
        self.layer_scale = nn.Parameter(torch.full((channels, 1, 1), 0.5))

    def forward(self, x):
        return x + self.layer_scale * self.block(x)


class ConvNeXt(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Sequential(nn.Conv2d(3, 6, 4, 4), LayerNorm2d(6, eps=1e-6)),
                                      nn.Sequential(ConvNeXtBlock(6), ConvNeXtBlock(6)),
                                      nn.Sequential(LayerNorm2d(6, eps=1e-6), nn.Conv2d(6, 8, 2, 2)))
        self.avgpool = nn.AdaptiveAvgPool2d(1)
        self.classifier = nn.Sequential(LayerNorm2d(8, eps=1e-6), nn.Flatten(1), nn.Linear(8, 5))

    def forward(self, x):
        return self.classifier(self.avgpool(self.features(x)))


class EncoderBlock(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.ln_1 = nn.LayerNorm(width, eps=1e-6)
        self.self_attention = nn.MultiheadAttention(width, heads, batch_first=True)
        self.ln_2 = nn.LayerNorm(width, eps=1e-6)
        self.mlp = nn.Sequential(nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width))

    def forward(self, x):
        y = self.ln_1(x)
        y, _ = self.self_attention(y, y, y, need_weights=False)
        x = x + y
        return x + self.mlp(self.ln_2(x))


class Encoder(nn.Module):
    def __init__(self, tokens, width, heads, depth):
        super().__init__()
        self.pos_embedding = nn.Parameter(torch.randn(1, tokens, width) * 0.1)
        self.layers = nn.Sequential(*[EncoderBlock(width, heads) for _ in range(depth)])
        self.ln = nn.LayerNorm(width, eps=1e-6)

    def forward(self, x):
        return self.ln(self.layers(x + self.pos_embedding))


class ViT(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv_proj = nn.Conv2d(3, 8, 8, 8)
        self.class_token = nn.Parameter(torch.randn(1, 1, 8))
        self.encoder = Encoder(17, 8, 2, 2)
        self.heads = nn.Sequential(nn.Linear(8, 5))

    def forward(self, x):
        n = x.shape[0]
        x = self.conv_proj(x).reshape(n, 8, 16).permute(0, 2, 1)
        x = self.encoder(torch.cat([self.class_token.expand(n, -1, -1), x], dim=1))
        return self.heads(x[:, 0])


class WindowAttention(nn.Module):
    def __init__(self, width, heads, window, shift):
        super().__init__()
        self.heads, self.window, self.shift = heads, window, shift
        self.qkv = nn.Linear(width, 3 * width)
        self.proj = nn.Linear(width, width)
        self.bias = nn.Parameter(torch.randn(heads, window * window, window * window) * 0.1)

    def forward(self, x):
        n, h, w, c = x.shape
        k = self.window
        if self.shift:
            x = torch.roll(x, shifts=(-self.shift, -self.shift), dims=(1, 2))
        x = x.view(n, h // k, k, w // k, k, c).permute(0, 1, 3, 2, 4, 5).reshape(-1, k * k, c)
        qkv = self.qkv(x).reshape(x.size(0), k * k, 3, self.heads, c // self.heads).permute(2, 0, 3, 1, 4)
        a = (qkv[0] * (c // self.heads) ** -0.5) @ qkv[1].transpose(-2, -1) + self.bias
        if self.shift:
            mask = torch.zeros((h, w))
            part = 0
            for rows in ((0, -k), (-k, -self.shift), (-self.shift, None)):
                for columns in ((0, -k), (-k, -self.shift), (-self.shift, None)):
                    mask[rows[0]:rows[1], columns[0]:columns[1]] = part
                    part += 1
            mask = mask.view(h // k, k, w // k, k).permute(0, 2, 1, 3).reshape(-1, k * k)
            mask = mask.unsqueeze(1) - mask.unsqueeze(2)
            mask = mask.masked_fill(mask != 0, -100.0).masked_fill(mask == 0, 0.0)
            windows = mask.size(0)
            a = a.view(-1, windows, self.heads, k * k, k * k) + mask.unsqueeze(1).unsqueeze(0)
            a = a.view(-1, self.heads, k * k, k * k)
        x = (F.softmax(a, dim=-1) @ qkv[2]).transpose(1, 2).reshape(-1, k * k, c)
        x = self.proj(x).view(n, h // k, w // k, k, k, c).permute(0, 1, 3, 2, 4, 5).reshape(n, h, w, c)
        return torch.roll(x, shifts=(self.shift, self.shift), dims=(1, 2)) if self.shift else x


class SwinBlock(nn.Module):
    def __init__(self, width, heads, window, shift):
        super().__init__()
        self.norm1 = nn.LayerNorm(width)
        self.attn = WindowAttention(width, heads, window, shift)
        self.norm2 = nn.LayerNorm(width)
        self.mlp = nn.Sequential(nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width))

    def forward(self, x):
        x = x + self.attn(self.norm1(x))
        return x + self.mlp(self.norm2(x))


class PatchMerging(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.reduction = nn.Linear(4 * width, 2 * width, bias=False)
        self.norm = nn.LayerNorm(4 * width)

    def forward(self, x):
        x = torch.cat([x[..., 0::2, 0::2, :], x[..., 1::2, 0::2, :], x[..., 0::2, 1::2, :], x[..., 1::2, 1::2, :]], -1)
        return self.reduction(self.norm(x))


class Swin(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            nn.Sequential(nn.Conv2d(3, 8, 4, 4), Permute(0, 2, 3, 1), nn.LayerNorm(8)),
            nn.Sequential(SwinBlock(8, 2, 4, 0), SwinBlock(8, 2, 4, 2)),
            PatchMerging(8),
            nn.Sequential(SwinBlock(16, 2, 4, 0)))
        self.norm = nn.LayerNorm(16)
        self.permute = Permute(0, 3, 1, 2)
        self.avgpool = nn.AdaptiveAvgPool2d(1)
        self.flatten = nn.Flatten(1)
        self.head = nn.Linear(16, 5)

    def forward(self, x):
        return self.head(self.flatten(self.avgpool(self.permute(self.norm(self.features(x))))))


def double_conv(inside, outside):
    return nn.Sequential(nn.Conv2d(inside, outside, 3, padding=1), nn.BatchNorm2d(outside), nn.ReLU(inplace=True),
                         nn.Conv2d(outside, outside, 3, padding=1), nn.BatchNorm2d(outside), nn.ReLU(inplace=True))


class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.inc = double_conv(3, 4)
        self.down1 = nn.Sequential(nn.MaxPool2d(2), double_conv(4, 6))
        self.down2 = nn.Sequential(nn.MaxPool2d(2), double_conv(6, 8))
        self.up1 = nn.ConvTranspose2d(8, 6, 2, 2)
        self.conv1 = double_conv(12, 6)
        self.up2 = nn.Upsample(scale_factor=2, mode="bilinear", align_corners=True)
        self.conv2 = double_conv(10, 4)
        self.head = nn.Linear(4, 5)

    def forward(self, x):
        a = self.inc(x)
        b = self.down1(a)
        c = self.up1(self.down2(b))
        c = self.conv1(torch.cat([b, c], 1))
        c = self.conv2(torch.cat([a, self.up2(c)], 1))
        return self.head(c.mean(dim=(2, 3)))


class MixerBlock(nn.Module):
    def __init__(self, tokens, width):
        super().__init__()
        self.norm1 = nn.LayerNorm(width)
        self.mlp_tokens = nn.Sequential(nn.Linear(tokens, 2 * tokens), nn.GELU(), nn.Linear(2 * tokens, tokens))
        self.norm2 = nn.LayerNorm(width)
        self.mlp_channels = nn.Sequential(nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width))

    def forward(self, x):
        x = x + self.mlp_tokens(self.norm1(x).transpose(1, 2)).transpose(1, 2)
        return x + self.mlp_channels(self.norm2(x))


class Mixer(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 8, 8, 8)
        self.blocks = nn.Sequential(MixerBlock(16, 8), MixerBlock(16, 8))
        self.norm = nn.LayerNorm(8)
        self.head = nn.Linear(8, 5)

    def forward(self, x):
        x = self.stem(x).flatten(2).transpose(1, 2)
        return self.head(self.norm(self.blocks(x)).mean(dim=1))


class DiffusionBlock(nn.Module):
    """A residual block with GroupNorm and a time embedding, and attention over positions behind it."""
    def __init__(self, inside, outside, width):
        super().__init__()
        self.norm1 = nn.GroupNorm(2, inside)
        self.conv1 = nn.Conv2d(inside, outside, 3, padding=1)
        self.time_emb_proj = nn.Linear(width, outside)
        self.norm2 = nn.GroupNorm(2, outside)
        self.conv2 = nn.Conv2d(outside, outside, 3, padding=1)
        self.nonlinearity = nn.SiLU()
        self.conv_shortcut = nn.Conv2d(inside, outside, 1)
        self.to_qkv = nn.Conv2d(outside, 3 * outside, 1)

    def forward(self, x, time):
        y = self.conv1(self.nonlinearity(self.norm1(x)))
        y = y + self.time_emb_proj(self.nonlinearity(time))[:, :, None, None]
        y = self.conv2(self.nonlinearity(self.norm2(y))) + self.conv_shortcut(x)
        q, k, v = self.to_qkv(y).flatten(2).transpose(1, 2).unsqueeze(1).chunk(3, dim=-1)
        z = F.scaled_dot_product_attention(q, k, v).squeeze(1)
        return y + z.transpose(1, 2).reshape(y.shape)


class Diffusion(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv_in = nn.Conv2d(3, 4, 3, padding=1)
        self.time_embedding = nn.Sequential(nn.Linear(6, 8), nn.SiLU(), nn.Linear(8, 8))
        self.block = DiffusionBlock(4, 8, 8)
        self.norm_out = nn.GroupNorm(4, 8)
        self.head = nn.Linear(8, 5)

    def forward(self, image, time):
        x = self.block(self.conv_in(image), self.time_embedding(time))
        return self.head(F.silu(self.norm_out(x)).mean(dim=(2, 3)))
