"""Words of texts: counts, vocabularies, vectors from files."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from jupyter_hybrid import nd
from jupyter_hybrid.contrib import text

COUNTS = Counter(["c", "c", "b", "b", "a", "<unk>", "d"])


def test_counts():
    words = text.utils.count_tokens_from_str(" Life is  good .\n life is life ", to_lower=True)
    assert words == {"life": 3, "is": 2, "good": 1, ".": 1}
    given = Counter({"a": 2})
    assert text.utils.count_tokens_from_str("a*b_a", r"\*", "_", counter_to_update=given) is given
    assert given == {"a": 4, "b": 1}


def test_vocabularies():
    vocab = text.vocab.Vocabulary(COUNTS, 3, reserved_tokens=["<pad>", "a"])
    assert vocab.idx_to_token == ["<unk>", "<pad>", "a", "b", "c", "d"] and len(vocab) == 6
    assert vocab.to_indices(["c", "x", "a"]) == [4, 0, 2] and vocab.to_indices("b") == 3
    assert vocab.to_tokens([5, 0]) == ["d", "<unk>"] and vocab.to_tokens(1) == "<pad>"
    assert vocab.reserved_tokens == ["<pad>", "a"] and vocab.unknown_token == "<unk>"
    assert text.vocab.Vocabulary(COUNTS, min_freq=2).idx_to_token == ["<unk>", "b", "c"]
    assert text.vocab.Vocabulary(COUNTS, 1, unknown_token="").idx_to_token == ["", "b"]
    for index in (6, -1, 1.5, "a"):
        with pytest.raises(ValueError, match="expected an index from 0 to 5"):
            vocab.to_tokens([index])
    for wrong, message in (
        ({"min_freq": 0}, "min_freq: expected at least 1, got 0"),
        ({"reserved_tokens": ["<unk>"]}, "hold the unknown word '<unk>'"),
        ({"reserved_tokens": ["a", "a"]}, "hold a word twice"),
        ({"counter": {"a": 1}}, "expected a Counter, got dict"),
    ):
        with pytest.raises(AssertionError, match=message):
            text.vocab.Vocabulary(**wrong)


@pytest.fixture
def vectors(tmp_path):
    file = tmp_path / "vectors.txt"
    file.write_text("3 2\na 0.1 0.2\nB 1 2\n<unk> 9 8\nb 3 4\na 7 7\n", encoding="utf8")
    return str(file)


def custom(file, **options):
    with pytest.warns(UserWarning, match="taken for a header|is there already"):
        return text.embedding.CustomEmbedding(file, **options)


def test_vectors_of_a_file(vectors):
    found = custom(vectors)
    assert found.idx_to_token == ["<unk>", "a", "B", "b"] and found.vec_len == 2
    np.testing.assert_allclose(
        found.idx_to_vec.asnumpy(), np.float32([[9, 8], [0.1, 0.2], [1, 2], [3, 4]])
    )
    assert found.get_vecs_by_tokens("b").asnumpy().tolist() == [3, 4]
    assert found.get_vecs_by_tokens(["x", "B"]).asnumpy().tolist() == [[9, 8], [1, 2]]
    assert found.get_vecs_by_tokens("A", True).asnumpy().tolist() == pytest.approx([0.1, 0.2])
    found.update_token_vectors(["a", "b"], nd.array([[1, 1], [2, 2]]))
    found.update_token_vectors("<unk>", nd.array([5, 5]))
    assert found.idx_to_vec.asnumpy().tolist() == [[5, 5], [1, 1], [1, 2], [2, 2]]
    with pytest.raises(ValueError, match="'x' is unknown; the vector of unknown words"):
        found.update_token_vectors("x", nd.array([5, 5]))
    for wrong in (nd.ones((1, 3)), nd.ones(3), nd.ones((2, 2))):
        with pytest.raises(AssertionError, match=r"expected shape \(1, 2\)"):
            found.update_token_vectors("a", wrong)


def test_reserved_words_and_other_unknown_ones(vectors):
    found = custom(vectors, unknown_token="?", init_unknown_vec=nd.ones, reserved_tokens=["p", "b"])
    assert found.idx_to_token == ["?", "p", "b", "a", "B", "<unk>"]
    assert found.idx_to_vec[:3].asnumpy().tolist() == [[1, 1], [0, 0], [3, 4]]


def test_vectors_of_a_vocabularys_words(vectors):
    vocab = text.vocab.Vocabulary(Counter(["b", "b", "x"]), reserved_tokens=["r"])
    found = custom(vectors, vocabulary=vocab)
    assert found.idx_to_token == ["<unk>", "r", "b", "x"]
    wanted = [[9, 8], [9, 8], [3, 4], [9, 8]]
    assert found.idx_to_vec.asnumpy().tolist() == wanted
    both = text.embedding.CompositeEmbedding(vocab, [custom(vectors), found])
    assert both.vec_len == 4
    assert both.idx_to_vec.asnumpy().tolist() == [row + row for row in wanted]
    with pytest.raises(AssertionError, match="expected an embedding, got Vocabulary"):
        text.embedding.CompositeEmbedding(vocab, vocab)


def test_files_of_known_names(tmp_path):
    names = text.embedding.get_pretrained_file_names()
    assert len(names["glove"]) == 10 and len(names["fasttext"]) == 327
    assert "wiki.simple.vec" in text.embedding.get_pretrained_file_names("fasttext")
    folder = tmp_path / "glove"
    folder.mkdir()
    options = {"pretrained_file_name": "glove.6B.50d.txt", "embedding_root": str(tmp_path)}
    with pytest.raises(FileNotFoundError, match=r"and put it at .*glove/glove\.6B\.50d\.txt"):
        text.embedding.create("glove", **options)
    (folder / "glove.6B.50d.txt").write_text("the 1 2 3\nof 4 5 6\n")
    found = text.embedding.create("GloVe", **options)
    assert found.to_indices("of") == 2 and found.vec_len == 3
    assert found.idx_to_vec[0].asnumpy().tolist() == [0, 0, 0]
    with pytest.raises(KeyError, match="no file 'x'"):
        text.embedding.FastText("x")
    with pytest.raises(KeyError, match="no embedding 'x'"):
        text.embedding.get_pretrained_file_names("x")
    with pytest.raises(AssertionError, match="no embedding 'x'; there are fasttext, glove"):
        text.embedding.create("x")


def test_bad_files_are_named(tmp_path):
    file = tmp_path / "v.txt"
    for content, message in (
        ("a 1 2\nb 3 4\nc 1 2 3\n", r"line 3 of .*: expected 2 numbers, got 3"),
        ("a\n", "line 1 of .*: expected a word and numbers"),
        ("a 1 x\n", "line 1 of .*could not convert"),
    ):
        file.write_text(content)
        with pytest.raises(ValueError, match=message):
            text.embedding.CustomEmbedding(str(file))
    with pytest.raises(ValueError, match="there is no file"):
        text.embedding.CustomEmbedding(str(tmp_path / "none"))
