"""Small networks of the kinds people export today, with random weights.

zoo() gives name → (module, inputs): `inputs` makes the arguments for n examples. Layouts, module names and tricks are
those of the well-known implementations (residual sums, squeeze and excitation, shifted windows, tied heads …), since
those are what exporters rewrite.
"""
import torch
from torch import nn

from image_networks import ConvNeXt, DenseNet, Diffusion, Mixer, MobileNet, ResNet, Swin, UNet, ViT
from sequence_networks import Bert, Gpt, Recurrent, Tabular, TextCNN


def images(n):
    return (torch.randn(n, 3, 32, 32),)


def tokens(n):
    return (torch.randint(0, 30, (n, 12)),)


def masked_tokens(n):
    mask = torch.ones(n, 12, dtype=torch.int64)
    for i in range(n):
        mask[i, 12 - i % 4:] = 0
    return (torch.randint(0, 30, (n, 12)), mask)


def zoo():
    kinds = {
        "resnet": (ResNet, images), "densenet": (DenseNet, images),
        "mobilenet_v3": (lambda: MobileNet(nn.Hardswish, nn.Hardsigmoid), images),
        "efficientnet": (lambda: MobileNet(nn.SiLU, nn.Sigmoid), images), "convnext": (ConvNeXt, images),
        "vit": (ViT, images), "swin": (Swin, images), "unet": (UNet, images),
        "lstm": (lambda: Recurrent(nn.LSTM), tokens), "gru": (lambda: Recurrent(nn.GRU), tokens),
        "text_cnn": (TextCNN, tokens), "bert": (Bert, masked_tokens), "gpt": (Gpt, tokens), "mixer": (Mixer, images),
        "tabular": (Tabular, lambda n: (torch.randn(n, 7),)),
        "diffusion": (Diffusion, lambda n: (torch.randn(n, 3, 16, 16), torch.randn(n, 6))),
    }
    models = {}
    for name, (make, inputs) in kinds.items():
        torch.manual_seed(0)
        model = make().eval()
        for module in model.modules():  # statistics as after training, not 0 and 1
            if isinstance(module, (nn.BatchNorm1d, nn.BatchNorm2d)):
                module.running_mean.normal_(0, 0.3)
                module.running_var.uniform_(0.5, 1.5)
                nn.init.uniform_(module.weight, 0.5, 1.5)
                nn.init.normal_(module.bias, 0, 0.3)
        models[name] = (model, inputs)
    return models
