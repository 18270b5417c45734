// One registration function per family of operators; ops/table.cc calls them once.
#pragma once

namespace hybrid {

void register_unary();
void register_binary();
void register_activation();
void register_elementwise();
void register_linear();
void register_linalg();
void register_correlate();
void register_fft();
void register_fully_connected();
void register_conv();
void register_deconv();
void register_upsampling();
void register_pool();
void register_reduce();
void register_broadcast();
void register_reshape();
void register_slice();
void register_join();
void register_repeat();
void register_index();
void register_gather();
void register_sort();
void register_search();
void register_exact_int();
void register_scan();
void register_softmax();
void register_layer_norm();
void register_group_norm();
void register_l2_norm();
void register_lrn();
void register_loss();
void register_rnn();
void register_roi_sums();
void register_hawkes();
void register_custom();
void register_roi_pooling();
void register_roi_align();
void register_boxes();
void register_box_nms();
void register_multibox();
void register_grid();
void register_correlation();
void register_sequence();
void register_softmax_activation();
void register_svm_output();
void register_moments();
void register_ctc_loss();
void register_random();
void register_creation();
void register_optimizer();

}  // namespace hybrid
