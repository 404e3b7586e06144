"""Learners: what is learned does not depend on how data comes."""

import pickle

import pytest

import oled


def test_all_ways_of_handing_frames_over_give_the_same_rules(model, listed, lobby):
    one_by_one = oled.Replay(listed)
    for frame in lobby:
        one_by_one.learn_one(frame)
    as_dicts = oled.Replay(listed).fit([frame.to_dict() for frame in lobby])
    from_iterator = oled.Replay(listed).fit(frame for frame in lobby)
    in_parts = oled.Replay(listed)
    in_parts.learn_many(lobby[:200])
    in_parts.learn_many(iter(lobby[200:]))
    for other in (one_by_one, as_dicts, from_iterator, in_parts):
        assert other.theory_.text == model.theory_.text
        assert other.n_seen_ == len(lobby)


def test_rules_are_a_table(model):
    rules = model.get_rules()
    assert rules.columns[:8] == ["rule", "head", "body", "gain", "helps", "harms", "refits", "weight"]
    assert len(rules) == len(model.theory_) > 3
    row = rules[0]
    assert row["rule"].startswith(row["head"]) and all(literal in row["rule"] for literal in row["body"])
    assert row["gain"] > 0 and row["helps"] > 0 and row["refits"] <= row["refits_of"] and row["weight"] is None
    assert rules.to_dicts()[0] == row and rules["gain"][0] == row["gain"]


def test_learning_goes_on_from_a_file_and_from_a_pickle(tmp_path, listed, lobby, model):
    whole = len(lobby)
    for cut in (0, 137):
        begun = oled.Replay(listed)
        begun.learn_many(lobby[:cut])
        begun.save(tmp_path / "model.oled")
        for going_on in (oled.load(tmp_path / "model.oled"), pickle.loads(pickle.dumps(begun))):
            assert isinstance(going_on, oled.Replay) and going_on.n_seen_ == cut
            going_on.learn_many(lobby[cut:])
            assert going_on.theory_.text == model.theory_.text
            assert going_on.n_seen_ == whole


def test_a_damaged_file_is_told(tmp_path, listed):
    model = oled.Replay(listed)
    state = bytearray(model.to_bytes())
    state[len(state) // 2] ^= 1
    with pytest.raises(oled.OledError, match="is damaged: its checksum is wrong"):
        oled.Learner.from_bytes(bytes(state))
    (tmp_path / "text").write_text("no checkpoint")
    with pytest.raises(oled.OledError, match="is not a checkpoint"):
        oled.load(tmp_path / "text")
    with pytest.raises(TypeError, match="is of the learner Replay, not of Oled"):
        oled.Oled.from_bytes(model.to_bytes())


def test_the_learner_of_the_paper_has_counts(listed, lobby):
    rules = oled.Oled(listed, depth=1).fit(lobby).get_rules()
    assert len(rules) > 0 and all(score is not None and score > 0 for score in rules["score"])
    assert rules["gain"] == [None] * len(rules)


def test_settings_are_parameters(listed, lobby):
    model = oled.Replay(listed, max_rules=1, threads=2)
    assert model.get_params() == {
        "task": listed, "preset": None, "threads": 2, "start_from": None, "max_rules": 1,
    }
    kinds = [head.split("(")[1] for head in model.fit(lobby).get_rules()["head"]]
    assert all(kinds.count(kind) <= 2 for kind in kinds)
    assert model.set_params(max_rules=2).settings == {"max_rules": 2}
    with pytest.raises(oled.OledError, match="no setting `windov`: did you mean `window`"):
        oled.Replay(listed, windov=3)
    with pytest.raises(oled.OledError, match="lists them"):
        oled.Oled("lobby")


def test_fit_forgets_and_learn_many_does_not(listed, lobby, model):
    again = oled.Replay(listed).fit(lobby[:150])
    assert again.theory_.text != model.theory_.text
    assert again.fit(lobby).theory_.text == model.theory_.text


def test_theories_are_started_from(listed, lobby):
    hand = listed.theories["hand"]
    model = oled.Oled(listed, start_from=hand)
    model.learn_many(lobby)
    assert len(model.theory_) > 0


def test_progress_is_told(listed, lobby):
    told = []
    oled.Replay(listed).fit(lobby, progress=lambda frames, line: told.append(frames))
    assert told[-1] >= 0 and max(told) == len(lobby)


def test_a_progress_that_fails_ends_the_call(listed, lobby):
    def fail(frames, line):
        raise KeyError("enough")

    with pytest.raises(KeyError, match="enough"):
        oled.Replay(listed).fit(lobby, progress=fail)
