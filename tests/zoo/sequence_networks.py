"""Networks over tokens and tables, laid out and named as the well-known implementations are."""
import torch
import torch.nn.functional as F
from torch import nn


class Recurrent(nn.Module):
    def __init__(self, kind):
        super().__init__()
        self.embedding = nn.Embedding(30, 6)
        self.rnn = kind(6, 5, num_layers=2, batch_first=True, bidirectional=True)
        self.dropout = nn.Dropout(0.1)
        self.fc = nn.Linear(10, 3)

    def forward(self, ids):
        y, _ = self.rnn(self.embedding(ids))
        return self.fc(self.dropout(y[:, -1]))


class TextCNN(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(30, 6)
        self.convs = nn.ModuleList([nn.Conv1d(6, 4, k, padding=k // 2) for k in (2, 3, 5)])
        self.fc = nn.Linear(12, 3)

    def forward(self, ids):
        x = self.embedding(ids).transpose(1, 2)
        return self.fc(torch.cat([F.relu(conv(x)).amax(dim=2) for conv in self.convs], dim=1))


class BertSelfAttention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(width, width)
        self.key = nn.Linear(width, width)
        self.value = nn.Linear(width, width)

    def forward(self, x, mask):
        split = lambda y: y.view(y.size(0), y.size(1), self.heads, -1).transpose(1, 2)
        y = F.scaled_dot_product_attention(split(self.query(x)), split(self.key(x)), split(self.value(x)), attn_mask=mask)
        return y.transpose(1, 2).reshape(x.shape)


class BertLayer(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.attention = nn.ModuleDict({"self": BertSelfAttention(width, heads), "output": nn.Linear(width, width),
                                        "LayerNorm": nn.LayerNorm(width, eps=1e-12)})
        self.intermediate = nn.Linear(width, 2 * width)
        self.output = nn.Linear(2 * width, width)
        self.LayerNorm = nn.LayerNorm(width, eps=1e-12)

    def forward(self, x, mask):
        x = self.attention["LayerNorm"](x + self.attention["output"](self.attention["self"](x, mask)))
        return self.LayerNorm(x + self.output(F.gelu(self.intermediate(x))))


class BertEmbeddings(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.word_embeddings = nn.Embedding(30, width)
        self.position_embeddings = nn.Embedding(32, width)
        self.LayerNorm = nn.LayerNorm(width, eps=1e-12)

    def forward(self, ids):
        positions = torch.arange(ids.size(1), device=ids.device).unsqueeze(0)
        return self.LayerNorm(self.word_embeddings(ids) + self.position_embeddings(positions))


class BertEncoder(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.layer = nn.ModuleList([BertLayer(width, 2) for _ in range(2)])

    def forward(self, x, mask):
        for layer in self.layer:
            x = layer(x, mask)
        return x


class BertModel(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.embeddings = BertEmbeddings(width)
        self.encoder = BertEncoder(width)
        self.pooler = nn.Sequential(nn.Linear(width, width), nn.Tanh())

    def forward(self, ids, mask):
        bias = (1.0 - mask[:, None, None, :].to(torch.float32)) * -1e4
        return self.pooler(self.encoder(self.embeddings(ids), bias)[:, 0])


class Bert(nn.Module):
    def __init__(self):
        super().__init__()
        self.bert = BertModel(8)
        self.classifier = nn.Linear(8, 3)

    def forward(self, input_ids, attention_mask):
        return self.classifier(self.bert(input_ids, attention_mask))


class GptBlock(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.ln_1 = nn.LayerNorm(width)
        self.c_attn = nn.Linear(width, 3 * width)
        self.c_proj = nn.Linear(width, width)
        self.ln_2 = nn.LayerNorm(width)
        self.mlp = nn.Sequential(nn.Linear(width, 2 * width), nn.GELU(approximate="tanh"), nn.Linear(2 * width, width))

    def forward(self, x):
        q, k, v = self.c_attn(self.ln_1(x)).split(x.size(-1), dim=-1)
        split = lambda y: y.view(y.size(0), y.size(1), self.heads, -1).transpose(1, 2)
        y = F.scaled_dot_product_attention(split(q), split(k), split(v), is_causal=True)
        x = x + self.c_proj(y.transpose(1, 2).reshape(x.shape))
        return x + self.mlp(self.ln_2(x))


class Gpt(nn.Module):
    """Logits of the token after the last one."""
    def __init__(self):
        super().__init__()
        self.transformer = nn.ModuleDict({"wte": nn.Embedding(30, 8), "wpe": nn.Embedding(32, 8),
                                          "h": nn.ModuleList([GptBlock(8, 2) for _ in range(2)]),
                                          "ln_f": nn.LayerNorm(8)})
        self.lm_head = nn.Linear(8, 30, bias=False)
        self.lm_head.weight = self.transformer["wte"].weight

    def forward(self, ids):
        x = self.transformer["wte"](ids) + self.transformer["wpe"](torch.arange(ids.size(1), device=ids.device))
        for block in self.transformer["h"]:
            x = block(x)
        return self.lm_head(self.transformer["ln_f"](x))[:, -1]


class Tabular(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(7, 12), nn.BatchNorm1d(12), nn.ReLU(), nn.Dropout(0.2), nn.Linear(12, 8),
                                 nn.LeakyReLU(0.1), nn.Linear(8, 2))

    def forward(self, x):
        return self.net(x)
